// Confirms resending every listed webhook, then shows progress.
import type { WebhookFilters } from '@limen/server/console/sessions';
import { useRef, useState } from 'preact/hooks';
import { api } from '../../api.ts';
import { TEXTS } from '../../texts.ts';
import { Dialog, Problem, useAction } from '../../ui/parts.tsx';
import { MAX_RUN, type ResendTotals, resendMatching } from './resend-matching.ts';

const T = TEXTS.webhooks;

interface ResendAllProps {
  filters: WebhookFilters;
  onDone: (totals: ResendTotals) => void;
  onClose: () => void;
}

export function ResendAll({ filters, onDone, onClose }: ResendAllProps) {
  const [isBusy, problem, run] = useAction();
  const [resent, setResent] = useState(0);
  const isStopped = useRef(false);
  const start = () =>
    run(async () => {
      const { webhooks: search, resend } = api;
      const steps = { search, resend, onProgress: setResent, isStopped: () => isStopped.current };
      onDone(await resendMatching({ filters, ...steps }));
    });
  const stop = () => {
    isStopped.current = true;
  };
  return (
    <Dialog heading={T.resendAllHeading} onClose={onClose} stays={isBusy}>
      <p>{T.resendAllText(MAX_RUN)}</p>
      <p role="status">{(isBusy || resent > 0) && T.progress(resent)}</p>
      {isBusy && <progress aria-label={T.heading} />}
      {problem && <Problem error={problem} />}
      <div class="row end">
        <button type="button" onClick={isBusy ? stop : onClose}>
          {isBusy ? T.stop : TEXTS.cancel}
        </button>
        <button type="button" class="primary" disabled={isBusy} onClick={start}>
          {T.start}
        </button>
      </div>
    </Dialog>
  );
}
