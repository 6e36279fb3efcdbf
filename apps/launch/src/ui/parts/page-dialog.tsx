// The page's dialogs, as native modal ones that trap and restore the focus.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Actions, Asks, Dialog } from '../../course/screens.ts';
import type { TextKey, Translator } from '../../i18n/index.ts';
import { Button } from './button.tsx';

interface DialogProps {
  dialog: Dialog | null;
  asks: Asks | null;
  actions: Actions;
  words: Translator;
}

export function PageDialog({ dialog, asks, actions, words }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  // Stays in the document, because the browser restores the focus only when a dialog closes.
  useLayoutEffect(() => {
    const found = element.current!;
    if (dialog && !found.open) {
      found.showModal();
      found.querySelector<HTMLElement>('[data-first]')?.focus();
    }
    if (!dialog && found.open) found.close();
  }, [dialog]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has Escape and the buttons
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby="dialog-heading"
      aria-describedby="dialog-text"
      onClose={() => dialog && actions.closeDialog()}
      onClick={(event) => event.target === element.current && actions.closeDialog()}
    >
      {dialog === 'cancel' && <CancelDialog asks={asks} actions={actions} words={words} />}
      {dialog === 'forget' && <ForgetDialog asks={asks} actions={actions} words={words} />}
      {dialog === 'privacy' && <PrivacyDialog asks={asks} actions={actions} words={words} />}
    </dialog>
  );
}

type BodyProps = Omit<DialogProps, 'dialog'>;

function CancelDialog({ actions, words }: BodyProps) {
  return <Question of="cancel" onConfirm={actions.confirmCancel} actions={actions} words={words} />;
}

function ForgetDialog({ actions, words }: BodyProps) {
  return <Question of="forget" onConfirm={actions.confirmForget} actions={actions} words={words} />;
}

/** Puts the safe answer first. */
function Question(props: Omit<BodyProps, 'asks'> & { of: 'cancel' | 'forget'; onConfirm(): void }) {
  const { of, onConfirm, actions, words } = props;
  return (
    <DialogBody
      heading={words.text(`${of}.heading`)}
      buttons={
        <>
          <Button kind="primary" onPress={actions.closeDialog} focusFirst>
            {words.text(`${of}.keep`)}
          </Button>
          <Button kind="secondary" onPress={onConfirm}>
            {words.text(`${of}.confirm`)}
          </Button>
        </>
      }
    >
      <p>{words.text(`${of}.explain`)}</p>
    </DialogBody>
  );
}

function listPrivacyTexts(asks: Asks | null): TextKey[] {
  if (!asks || asks.operation === 'AGE')
    return [
      ...(['privacy.frames', 'privacy.answer', 'privacy.document'] as const),
      // Also without a session, on the age key page.
      ...(!asks || asks.proofs ? (['privacy.proofs'] as const) : []),
      ...(['privacy.handoff', 'privacy.noOthers'] as const),
    ];
  return [
    asks.sharesSelfie ? 'privacy.selfie' : 'privacy.frames',
    ...(['privacy.token', 'privacy.local', 'privacy.answer'] as const),
    ...(asks.steps.includes('identity_document') ? (['privacy.documentFace'] as const) : []),
    ...(['privacy.handoff', 'privacy.noOthers'] as const),
  ];
}

function PrivacyDialog({ asks, actions, words }: BodyProps) {
  return (
    <DialogBody
      heading={words.text('privacy.heading')}
      buttons={
        <Button kind="primary" onPress={actions.closeDialog} focusFirst>
          {words.text('action.close')}
        </Button>
      }
    >
      {listPrivacyTexts(asks).map((key) => (
        <p key={key}>{words.text(key)}</p>
      ))}
    </DialogBody>
  );
}

function DialogBody(props: { heading: string; buttons: ComponentChildren; children: ComponentChildren }) {
  return (
    <div class="dialog-body">
      <h2 id="dialog-heading">{props.heading}</h2>
      <div id="dialog-text">{props.children}</div>
      <div class="buttons">{props.buttons}</div>
    </div>
  );
}
