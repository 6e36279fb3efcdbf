// How the element looks. A host changes it through the parts `dialog`, `close` and `frame`.

export const STYLE = `
:host { display: block }
:host([mode="modal"]) { display: contents }
:host([hidden]) { display: none }
iframe { display: block; width: 100%; height: 40rem; border: 0; color-scheme: light dark }
dialog { color-scheme: light dark; box-sizing: border-box; width: min(100%, 36rem); height: min(100%, 52rem); max-width: none; max-height: none;
  margin: auto; padding: 0; border: 0; border-radius: 1rem; overflow: hidden; background: Canvas; color: CanvasText;
  box-shadow: 0 1rem 4rem rgb(0 0 0 / .3) }
dialog[open] { animation: rise .2s ease-out }
dialog::backdrop { background: rgb(0 0 0 / .5) }
dialog iframe { height: 100% }
button { position: absolute; inset-block-start: .75rem; inset-inline-end: .75rem; width: 2.75rem; height: 2.75rem; padding: 0;
  border: 0; border-radius: 50%; background: Canvas; color: CanvasText; font: 1.5rem/1 system-ui; cursor: pointer }
button:focus-visible { outline: .1875rem solid; outline-offset: -.25rem }
@keyframes rise { from { translate: 0 1rem } }
@media (max-width: 36rem) { dialog { height: 100%; border-radius: 0 } }
@media (prefers-reduced-motion: reduce) { dialog[open] { animation: none } }
`;
