// Asks why, before what goes into the evidence.
import { TEXTS } from '../texts.ts';
import { Dialog, Problem, useWork } from './parts.tsx';

const T = TEXTS.screening.subject;

interface ReasonDialogProps {
  heading: string;
  text: string;
  button: string;
  work: (reason: string) => Promise<void>;
  onClose: () => void;
}

export function ReasonDialog({ heading, text, button, work, onClose }: ReasonDialogProps) {
  const [isBusy, problem, run] = useWork();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const reason = String(new FormData(event.currentTarget as HTMLFormElement).get('reason') ?? '').trim();
    run(() => work(reason));
  };
  return (
    <Dialog heading={heading} onClose={onClose}>
      <p>{text}</p>
      <form onSubmit={submit}>
        <label>
          {T.reason}
          <textarea name="reason" required maxLength={2000} rows={3} aria-describedby="reason-hint" />
        </label>
        <p id="reason-hint" class="quiet small-text">
          {T.reasonHint}
        </p>
        {problem && <Problem error={problem} />}
        <div class="row end">
          <button type="button" onClick={onClose}>
            {TEXTS.cancel}
          </button>
          <button type="submit" class="primary" disabled={isBusy}>
            {button}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
