// The page's dialogs, as the browser's own modal ones: they keep the focus in and give it back.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Actions, Dialog } from '../../flow/screens.ts';
import type { TextKey, Translator } from '../../i18n/index.ts';
import { Button } from './button.tsx';

interface DialogProps {
  dialog: Dialog | null;
  actions: Actions;
  words: Translator;
}

export function PageDialog({ dialog, actions, words }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  // It is never taken out of the document: the browser gives the focus back only when it is closed.
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
      {dialog === 'cancel' && <CancelDialog actions={actions} words={words} />}
      {dialog === 'privacy' && <PrivacyDialog actions={actions} words={words} />}
    </dialog>
  );
}

function CancelDialog({ actions, words }: Omit<DialogProps, 'dialog'>) {
  return (
    <DialogBody
      heading={words.text('cancel.heading')}
      buttons={
        <>
          <Button kind="primary" onPress={actions.closeDialog} focusFirst>
            {words.text('cancel.keep')}
          </Button>
          <Button kind="secondary" onPress={actions.confirmCancel}>
            {words.text('cancel.confirm')}
          </Button>
        </>
      }
    >
      <p>{words.text('cancel.explain')}</p>
    </DialogBody>
  );
}

const PRIVACY: readonly TextKey[] = ['privacy.frames', 'privacy.answer', 'privacy.document', 'privacy.noOthers'];

function PrivacyDialog({ actions, words }: Omit<DialogProps, 'dialog'>) {
  return (
    <DialogBody
      heading={words.text('privacy.heading')}
      buttons={
        <Button kind="primary" onPress={actions.closeDialog} focusFirst>
          {words.text('action.close')}
        </Button>
      }
    >
      {PRIVACY.map((key) => (
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
