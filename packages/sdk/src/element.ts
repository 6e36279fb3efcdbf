// The custom element that shows a check in a host's page: `<limen-check launch-url="…"
// mode="inline|modal" locale="…">`.
import { connectFrame, type FrameConnection } from './element/connect-frame.ts';
import type { LimenCheckErrorCode, LimenCheckEventMap } from './element/events.ts';
import { explainSilence, REASONS } from './element/explain.ts';
import type { LimenCheckMode, PageMessage } from './element/messages.ts';
import { STYLE } from './element/style.ts';

export type { LimenCheckErrorCode, LimenCheckEventMap } from './element/events.ts';
export type { Connect, Hello, HostMessage, LimenCheckMode, LimenCheckStep, PageMessage } from './element/messages.ts';

const NAME = 'limen-check';
/** Granted only to the page's own origin, wherever the frame navigates. */
const ALLOW =
  'camera; publickey-credentials-get; publickey-credentials-create; digital-credentials-get; cross-origin-isolated; clipboard-write';
/** Class of the visible box. Before the page has answered, the frame may show anything. */
const ON = 'on';

/** Server-side rendering has no HTMLElement, and importing this file there must not fail. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the interface only says more of methods that are inherited
export class LimenCheckElement extends Base {
  static readonly observedAttributes = ['launch-url', 'mode', 'locale'];
  #connection: FrameConnection | undefined;
  #frame: HTMLIFrameElement | undefined;
  #dialog: HTMLDialogElement | undefined;
  #button: HTMLButtonElement | undefined;
  /** Whether the element is connected and has processed its attributes. */
  #isThere = false;
  #isOver = false;
  /** Whether the page was asked to confirm leaving and has not answered yet. */
  #isAsked = false;
  /** Whether the dialog should be visible. */
  #isWanted = false;
  /** URL to navigate to when the check should be shown, if it cannot be shown here. */
  #elsewhere: URL | undefined;

  /** Launch URL from your server. Nothing is shown without it. */
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

  /** Language of the page, if it differs from the session's. */
  get locale(): string {
    return this.getAttribute('locale') ?? '';
  }
  set locale(locale: string) {
    this.setAttribute('locale', locale);
  }

  /** Whether the window navigates to `redirectUrl` after the end. Applies to the next load. */
  get redirect(): boolean {
    return this.hasAttribute('redirect');
  }
  set redirect(redirect: boolean) {
    this.toggleAttribute('redirect', redirect);
  }

  connectedCallback(): void {
    // Values set before the element was defined would shadow its properties.
    for (const name of ['launchUrl', 'mode', 'locale', 'redirect'] as const) {
      const own = Object.getOwnPropertyDescriptor(this, name);
      if (own && Reflect.deleteProperty(this, name)) Reflect.set(this, name, own.value);
    }
    this.#isThere = true;
    if (this.mode === 'inline') this.preload();
    // Moving the element within the page reloads the frame.
    else if (this.#isWanted) this.open();
  }

  disconnectedCallback(): void {
    const isOpen = this.#dialog?.open === true;
    this.#isThere = false;
    this.#drop();
    this.#isWanted = isOpen;
    queueMicrotask(() => {
      if (!this.#isThere) this.#isWanted = false;
    });
  }

  /** Moved by `moveBefore()`, which keeps the frame's state. */
  connectedMoveCallback(): void {}

  attributeChangedCallback(_name: string, before: string | null, after: string | null): void {
    if (!this.#isThere || before === after) return;
    // Batches several attribute changes.
    queueMicrotask(() => {
      if (this.#frame || this.mode === 'inline') this.preload();
    });
  }

  /** Loads the page before it is shown, so that `open()` is instant. Does not start the check. */
  preload(): void {
    if (!this.isConnected) return;
    if (!this.launchUrl) return void (this.#frame && this.#shut());
    const url = readUrl(this.launchUrl);
    if (url && this.locale) url.searchParams.set('locale', this.locale);
    const isModal = this.mode === 'modal';
    if (this.#frame && this.#frame.src === url?.href && Boolean(this.#dialog) === isModal) return;
    if (!url) return void this.#fail('bad_launch_url');
    if (!canShow(this.mode)) return void this.#fail('unsupported', url);
    const frame = document.createElement('iframe');
    Object.assign(frame, { allow: ALLOW, referrerPolicy: 'no-referrer', src: url.href, title: this.title || 'Limen' });
    frame.part.add('frame');
    this.#put(frame, frame.title);
    this.#frame = frame;
    this.#connection = connectFrame({
      frame,
      origin: url.origin,
      connect: { limen: 'connect', mode: this.mode, redirect: this.redirect },
      onMessage: (message) => this.#take(message),
      onSilence: (isGreeted) => void this.#miss(url, isGreeted),
    });
  }

  /** Shows the dialog of `mode="modal"`. */
  open(): void {
    this.#isWanted = true;
    if (!this.launchUrl) return void this.#fail('bad_launch_url');
    this.preload();
    if (this.#elsewhere) return void this.#lead(this.#elsewhere);
    if (!this.#dialog || this.#dialog.open) return;
    this.#dialog.showModal();
    this.#enter();
    if (this.#dialog.getClientRects().length > 0) return;
    // An invisible modal dialog would block the rest of the page.
    console.error(`<${NAME}>: an ancestor of the element is hidden, and so is the dialog.`);
    this.#shut();
  }

  /** Closes the dialog and unloads the page. The session remains until it expires. */
  close(): void {
    if (this.#dialog?.open) this.#shut();
  }

  /** Replaces the current content. An open dialog stays open. */
  #put(content: HTMLElement, title: string): void {
    const box = document.createElement('div');
    box.append(content);
    this.#connection?.close();
    this.#isOver = this.#isAsked = false;
    this.#elsewhere = undefined;
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [getStyle()];
    if (this.mode === 'modal') {
      this.#dialog ??= this.#makeDialog(root);
      this.#dialog.setAttribute('aria-label', title);
      this.#dialog.querySelector('div')?.remove();
      this.#dialog.append(box);
    } else {
      if (this.#dialog) this.#shut();
      root.replaceChildren(box);
    }
  }

  #makeDialog(root: ShadowRoot): HTMLDialogElement {
    const dialog = document.createElement('dialog');
    const button = document.createElement('button');
    dialog.part.add('dialog');
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
    // Browsers close the dialog without asking if Escape is pressed repeatedly.
    dialog.onclose = () => {
      if (this.#dialog === dialog) this.#shut();
    };
    dialog.append(button);
    root.replaceChildren(dialog);
    this.#button = button;
    return dialog;
  }

  /** Lets the page ask for confirmation, so that a running check is not ended by accident. */
  #askToLeave(): void {
    // If the page does not respond, a second press closes it.
    const isHeard = !this.#isOver && !this.#isAsked && this.#connection?.send({ type: 'cancel' });
    if (!isHeard) return void this.close();
    this.#isAsked = true;
    this.#enter();
  }

  /** Moves the focus into the frame, so that screen readers reach its content. */
  #enter(): void {
    if (this.#dialog?.open && this.#frame?.parentElement?.className === ON) this.#frame.focus();
  }

  #take(message: PageMessage): void {
    this.#isAsked = false;
    switch (message.type) {
      case 'connected':
        return void this.#show();
      case 'ready':
        return void this.#name(message);
      case 'step':
        return void this.#tell('step', { step: message.step });
      case 'resize':
        if (!this.#dialog && this.#frame) this.#frame.style.height = `${message.height}px`;
        return void this.#tell('resize', { height: message.height });
      case 'ended':
      case 'cancelled':
        this.#isOver = true;
        return void this.#tell(message.type, null);
      case 'leave':
        return void this.#leave(message.redirectUrl);
      case 'error':
        return void this.#fail(message.code);
    }
  }

  #show(): void {
    const box = this.#frame?.parentElement;
    if (!box || box.className === ON) return;
    box.className = ON;
    this.#enter();
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
    const url = this.redirect && redirectUrl ? readUrl(redirectUrl) : undefined;
    if (url) location.assign(url);
    else if (this.#dialog) this.close();
    else this.#tell('close', null);
  }

  async #miss(url: URL, isGreeted: boolean): Promise<void> {
    const connection = this.#connection;
    const { reason, isReachable } = await explainSilence(url);
    // The host may have removed the frame, or the page may have answered after all.
    if (this.#connection !== connection || !connection?.isSilent()) return;
    this.#fail('no_handshake', isReachable && !isGreeted ? url : undefined, reason);
  }

  /** `url`: where the check can continue instead. */
  #fail(code: 'covered' | 'no_camera_policy' | 'bad_launch_url'): void;
  #fail(code: 'unsupported', url: URL): void;
  #fail(code: 'no_handshake', url: URL | undefined, reason: string): void;
  #fail(code: LimenCheckErrorCode, url?: URL, reason?: string): void {
    const frame = this.#frame;
    console.error(`<${NAME}>: ${reason ?? (code !== 'no_handshake' && REASONS[code])}`);
    const goesOn = this.#tell('error', { code }, true);
    // The page itself handles these.
    if (code === 'covered' || code === 'no_camera_policy' || this.#frame !== frame) return;
    if (!goesOn || !url) return void (this.#frame && this.#shut());
    // In a closed dialog, the person has not asked for a check yet.
    if (this.mode === 'inline' || this.#isWanted) this.#lead(url);
    else {
      this.#drop();
      this.#elsewhere = url;
    }
  }

  /**
   * Navigates the host's window to the check. Inside a frame, where it could not be shown either,
   * and when coming back, shows a link.
   */
  #lead(url: URL): void {
    if (!canShow(this.mode)) return void location.assign(url);
    const link = document.createElement('a');
    Object.assign(link, { href: url.href, target: '_blank', rel: 'noopener', textContent: url.host });
    link.part.add('link');
    this.#put(link, url.host);
    link.parentElement!.className = ON;
    this.#frame = undefined;
    if (window.top === window) location.assign(url);
    else if (this.#dialog && !this.#dialog.open) this.#dialog.showModal();
  }

  /** Returns false if a listener prevented the default. */
  #tell(type: keyof LimenCheckEventMap, detail: object | null, cancelable = false): boolean {
    return this.dispatchEvent(new CustomEvent(type, { detail, cancelable }));
  }

  /** Removes all content, including the camera, and dispatches `close` for a dialog. */
  #shut(): void {
    const dialog = this.#dialog;
    const wasSeen = dialog !== undefined && this.#isWanted;
    this.#dialog = undefined;
    dialog?.close();
    this.#drop();
    if (wasSeen) this.#tell('close', null);
  }

  #drop(): void {
    this.#connection?.close();
    this.shadowRoot?.replaceChildren();
    this.#connection = this.#frame = this.#dialog = this.#button = this.#elsewhere = undefined;
    this.#isOver = this.#isAsked = this.#isWanted = false;
  }
}

let style: CSSStyleSheet | undefined;

/** Shared by all elements of the page. */
function getStyle(): CSSStyleSheet {
  if (!style) {
    style = new CSSStyleSheet();
    style.replaceSync(STYLE);
  }
  return style;
}

function canShow(mode: LimenCheckMode): boolean {
  return 'adoptedStyleSheets' in document && (mode === 'inline' || 'HTMLDialogElement' in globalThis);
}

/** Parses a URL for a frame or window. Rejects schemes that would run as a script of the host. */
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
