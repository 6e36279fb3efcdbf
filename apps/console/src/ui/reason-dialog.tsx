// Asks for a reason that becomes part of the evidence.
import { TEXTS } from '../texts.ts';
import { FormDialog, readField } from './form-dialog.tsx';

const T = TEXTS.screening.subject;

interface ReasonDialogProps {
  heading: string;
  text: string;
  button: string;
  work: (reason: string) => Promise<void>;
  onClose: () => void;
}

export function ReasonDialog({ heading, text, button, work, onClose }: ReasonDialogProps) {
  return (
    <FormDialog
      heading={heading}
      text={text}
      button={button}
      work={(form) => work(readField(form, 'reason'))}
      onClose={onClose}
    >
      <label>
        {T.reason}
        <textarea name="reason" required maxLength={2000} rows={3} aria-describedby="reason-hint" />
      </label>
      <p id="reason-hint" class="quiet small-text">
        {T.reasonHint}
      </p>
    </FormDialog>
  );
}
