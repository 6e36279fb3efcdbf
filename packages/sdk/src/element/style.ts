// How the element looks. A host changes it through the parts `dialog`, `close` and `frame`. The button has a row of its own: what
// lies over a frame, if only a corner of it, keeps the page from beginning. The row is coloured like the page.

export const STYLE = `
:host { display: block }
:host([mode="modal"]) { display: contents }
:host([hidden]) { display: none }
iframe { display: block; width: 100%; height: 40rem; border: 0; color-scheme: light dark }
dialog { color-scheme: light dark; flex-direction: column; box-sizing: border-box; width: min(100%, 36rem);
  height: min(100%, 54rem); max-width: none; max-height: none; margin: auto; padding: 0; border: 0; border-radius: 1rem;
  overflow: hidden; background: #f7f5f0; color: CanvasText; box-shadow: 0 1rem 4rem rgb(0 0 0 / .3) }
dialog[open] { display: flex; animation: rise .2s ease-out }
dialog::backdrop { background: rgb(0 0 0 / .5) }
dialog iframe { order: 1; flex: 1; height: auto; min-height: 0 }
button { align-self: end; width: 2.75rem; height: 2.75rem; margin: .25rem .25rem 0; padding: 0; border: 0; border-radius: 50%;
  background: none; color: inherit; font: 1.5rem/1 system-ui; cursor: pointer }
button:focus-visible { outline: .1875rem solid; outline-offset: -.25rem }
@keyframes rise { from { translate: 0 1rem } }
@media (max-width: 36rem) { dialog { height: 100%; border-radius: 0 } }
@media (prefers-color-scheme: dark) { dialog { background: #14161a } }
@media (prefers-reduced-motion: reduce) { dialog[open] { animation: none } }
`;
