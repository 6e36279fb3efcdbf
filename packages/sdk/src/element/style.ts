// Styles of the element. Hosts can change them through the parts `dialog`, `close`, `frame` and
// `link`. The button has a separate row, because anything over the frame keeps the check from
// starting. The row has the page's color. Until the page has answered, three dots hide the frame,
// which might show a browser error.

export const STYLE = `
:host { display: block }
:host([mode="modal"]) { display: contents }
:host([hidden]) { display: none }
div { position: relative }
iframe { display: block; width: 100%; height: 48rem; border: 0; color-scheme: light dark }
div:not(.on) iframe { visibility: hidden }
div:not(.on)::after { content: "···"; position: absolute; inset: 0; display: grid; place-content: center; font: 3rem/1 system-ui;
  opacity: .4; animation: wait 1s ease-in-out infinite alternate }
a { display: block; padding: 2rem; overflow-wrap: anywhere }
dialog { color-scheme: light dark; flex-direction: column; box-sizing: border-box; width: min(100%, 36rem);
  height: min(100%, 66rem); max-width: none; max-height: none; margin: auto; padding: 0; border: 0; border-radius: 1rem;
  overflow: hidden; background: #f7f5f0; color: CanvasText; box-shadow: 0 1rem 4rem rgb(0 0 0 / .3) }
dialog[open] { display: flex; animation: rise .2s ease-out }
dialog::backdrop { background: rgb(0 0 0 / .5) }
dialog div { flex: 1; min-height: 0 }
dialog iframe { height: 100% }
button { align-self: end; width: 2.75rem; height: 2.75rem; margin: .25rem .25rem 0; padding: 0; border: 0; border-radius: 50%;
  background: none; color: inherit; font: 1.5rem/1 system-ui; cursor: pointer }
button:focus-visible { outline: .1875rem solid; outline-offset: -.25rem }
@keyframes rise { from { translate: 0 1rem } }
@keyframes wait { to { opacity: .15 } }
@media (max-width: 36rem) { dialog { height: 100%; border-radius: 0 } }
@media (prefers-color-scheme: dark) { dialog { background: #14161a } }
@media (prefers-reduced-motion: reduce) { dialog[open], div::after { animation: none } }
`;
