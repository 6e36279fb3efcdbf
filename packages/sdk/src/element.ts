// The custom element that shows a check inside a host's page: `<limen-check launch-url="…" mode="inline|modal" locale="…">`.
import { connectFrame, type FrameConnection } from './element/connect-frame.ts';
import type { LimenCheckErrorCode, LimenCheckEventMap } from './element/events.ts';
import type { LimenCheckMode, PageMessage } from './element/messages.ts';
import { STYLE } from './element/style.ts';

export type { LimenCheckErrorCode, LimenCheckEventMap } from './element/events.ts';
export type { Connect, Hello, HostMessage, LimenCheckMode, LimenCheckStep, PageMessage } from './element/messages.ts';

const NAME = 'limen-check';
/** For the page's own origin alone, wherever the frame may be led. */
const ALLOW =
  'camera; publickey-credentials-get; publickey-credentials-create; digital-credentials-get; cross-origin-isolated; clipboard-write';

/** Lines for whoever builds the host's page. */
const REASONS: Record<LimenCheckErrorCode, string> = {
  bad_launch_url: 'launch-url is not an http(s) address.',
  no_handshake: `the page did not answer. Most likely ${globalThis.location?.origin} is not among the sites of the API key that made the session (limen keys embed ID ${globalThis.location?.origin}), or the session is gone.`,
  covered: 'something on this page covers the check, or makes it transparent, so the person cannot start it.',
  no_camera_policy: 'the Permissions-Policy of this page keeps the camera from frames.',
  unsupported: 'this browser is too old to show the check inside a page.',
};
/** What cannot go on in the frame goes on in its place. */
const LEADS_AWAY: ReadonlySet<LimenCheckErrorCode> = new Set(['no_handshake', 'covered', 'unsupported'] as const);

/** A server that renders the host's page has no elements, and may import this all the same. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the interface only says more of methods that are inherited
export class LimenCheckElement extends Base {
  static readonly observedAttributes = ['launch-url', 'mode', 'locale'];
  #connection: FrameConnection | undefined;
  #frame: HTMLIFrameElement | undefined;
  #dialog: HTMLDialogElement | undefined;
  #button: HTMLButtonElement | undefined;
  #isOver = false;
  /** The page was asked to ask the person, and has not answered yet. */
  #isAsked = false;
  /** Of a dialog: somebody wants to see it. */
  #isWanted = false;
  /** It cannot be shown here, and nobody wanted to see it yet. */
  #leadsAway = false;

  /** As the service gave it to your server. Without one, nothing is shown. */
  get launchUrl(): string {
    return this.getAttribute('launch-url') ?? '';
  }
  set launchUrl(url: string) {
    this.setAttribute('launch-url', url);
  }

  get mode(): LimenCheckMode {
    return this.getAttribute('mode') === 'modal' ? 'modal' : 'inline';
  }
  set mode(mode: LimenCheckMode) {
    this.setAttribute('mode', mode);
  }

  /** The page's language where it shall not be the session's. */
  get locale(): string {
    return this.getAttribute('locale') ?? '';
  }
  set locale(locale: string) {
    this.setAttribute('locale', locale);
  }

  connectedCallback(): void {
    if (this.mode === 'inline') this.preload();
  }

  disconnectedCallback(): void {
    this.#drop();
  }

  attributeChangedCallback(_name: string, before: string | null, after: string | null): void {
    if (before === after || !this.isConnected) return;
    const wasShown = this.#frame !== undefined;
    this.#drop();
    if (wasShown || this.mode === 'inline') this.preload();
  }

  /** Loads the page before it is shown, so that `open()` has nothing to wait for. Starts no check. */
  preload(): void {
    if (this.#frame || !this.isConnected || !this.launchUrl) return;
    const url = readUrl(this.launchUrl);
    if (!url) return void this.#fail('bad_launch_url');
    if (!canShow(this.mode)) return void this.#fail('unsupported');
    if (this.locale) url.searchParams.set('locale', this.locale);
    const frame = document.createElement('iframe');
    Object.assign(frame, { allow: ALLOW, referrerPolicy: 'no-referrer', src: url.href, title: this.title || 'Limen' });
    frame.part.add('frame');
    this.#frame = frame;
    this.#connection = connectFrame({
      frame,
      origin: url.origin,
      mode: this.mode,
      onMessage: (message) => this.#take(message),
      onSilence: () => this.#fail('no_handshake'),
    });
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    const style = new CSSStyleSheet();
    style.replaceSync(STYLE);
    root.adoptedStyleSheets = [style];
    root.replaceChildren(this.mode === 'modal' ? this.#frameInDialog(frame) : frame);
  }

  /** Shows the dialog of `mode="modal"`. */
  open(): void {
    this.#isWanted = true;
    this.preload();
    if (this.#leadsAway) location.assign(this.launchUrl);
    if (this.#leadsAway || this.#dialog?.open) return;
    this.#dialog?.showModal();
    // What is in it is read out, and not the way out of it.
    this.#frame?.focus();
  }

  /** Takes the dialog away without asking; the session goes on to be there until its time is over. */
  close(): void {
    this.#dialog?.close();
  }

  #frameInDialog(frame: HTMLIFrameElement): HTMLDialogElement {
    const dialog = document.createElement('dialog');
    const button = document.createElement('button');
    dialog.part.add('dialog');
    dialog.setAttribute('aria-label', frame.title);
    button.part.add('close');
    button.type = 'button';
    button.setAttribute('aria-label', 'Close');
    button.textContent = '×';
    button.onclick = () => this.#askToLeave();
    // The Escape key.
    dialog.oncancel = (event) => {
      event.preventDefault();
      this.#askToLeave();
    };
    dialog.onclose = () => {
      this.#isWanted = this.#isAsked = false;
      this.#tell('close', null);
    };
    dialog.append(frame, button);
    this.#button = button;
    this.#dialog = dialog;
    return dialog;
  }

  /** A check that goes on is not ended by a slip of the finger: the page asks. */
  #askToLeave(): void {
    // A page that does not react is left by the second press.
    const isHeard = !this.#isOver && !this.#isAsked && this.#connection?.send({ type: 'cancel' });
    if (isHeard) this.#isAsked = true;
    else this.close();
  }

  #take(message: PageMessage): void {
    this.#isAsked = this.#leadsAway = false;
    if (message.type === 'ready') this.#name(message);
    else if (message.type === 'leave') this.#leave(message.redirectUrl);
    else if (message.type === 'error') this.#fail(message.code);
    else if (message.type === 'step') this.#tell('step', { step: message.step });
    else if (message.type === 'resize') {
      if (!this.#dialog && this.#frame) this.#frame.style.height = `${message.height}px`;
      this.#tell('resize', { height: message.height });
    } else if (message.type !== 'connected') {
      this.#isOver = true;
      this.#tell(message.type, null);
    }
  }

  #name({ name, close, lang, dir }: Extract<PageMessage, { type: 'ready' }>): void {
    const title = this.title || name;
    if (this.#frame) this.#frame.title = title;
    this.#button?.setAttribute('aria-label', close);
    this.#dialog?.setAttribute('aria-label', title);
    if (this.#dialog) Object.assign(this.#dialog, { lang, dir });
    this.#tell('ready', null);
  }

  #leave(redirectUrl: string | null): void {
    const url = this.hasAttribute('redirect') && redirectUrl ? readUrl(redirectUrl) : undefined;
    if (url) location.assign(url);
    else if (this.#dialog) this.close();
    else this.#tell('close', null);
  }

  #fail(code: LimenCheckErrorCode): void {
    console.error(`<${NAME}>: ${REASONS[code]}`);
    const goesOn = this.#tell('error', { code }, true);
    if (!goesOn || !LEADS_AWAY.has(code)) return;
    // Whoever is busy with the host's page did not ask for a check yet.
    if (this.mode === 'inline' || this.#isWanted) location.assign(this.launchUrl);
    else this.#leadsAway = true;
  }

  /** False where it was prevented. */
  #tell(type: string, detail: object | null, cancelable = false): boolean {
    return this.dispatchEvent(new CustomEvent(type, { detail, cancelable }));
  }

  #drop(): void {
    this.#connection?.close();
    this.shadowRoot?.replaceChildren();
    this.#connection = this.#frame = this.#dialog = this.#button = undefined;
    this.#isOver = this.#isAsked = this.#isWanted = this.#leadsAway = false;
  }
}

function canShow(mode: LimenCheckMode): boolean {
  return 'adoptedStyleSheets' in document && (mode === 'inline' || 'HTMLDialogElement' in globalThis);
}

/** An address that a frame or a window may be led to: nothing that would run as a script of the host's. */
function readUrl(text: string): URL | undefined {
  try {
    const url = new URL(text, location.href);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
  } catch {
    return undefined;
  }
}

type Listener<Type extends keyof LimenCheckEventMap> = (
  this: LimenCheckElement,
  event: LimenCheckEventMap[Type],
) => void;

export interface LimenCheckElement {
  addEventListener<Type extends keyof LimenCheckEventMap>(
    type: Type,
    listener: Listener<Type>,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener<Type extends keyof LimenCheckEventMap>(
    type: Type,
    listener: Listener<Type>,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | EventListenerOptions,
  ): void;
}

declare global {
  interface HTMLElementTagNameMap {
    'limen-check': LimenCheckElement;
  }
}

if (globalThis.customElements && !customElements.get(NAME)) customElements.define(NAME, LimenCheckElement);
