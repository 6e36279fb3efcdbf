// The person's next step: the launch page here, on a phone, or a simulated outcome without a
// camera.
import { useState } from 'preact/hooks';
import { HostError, simulate } from '../host.ts';
import { type Asked, type Choice, listOutcomes } from '../outcomes.ts';
import { phoneHint } from '../phone-hint.ts';
import { CopyButton } from './copy-button.tsx';
import { Notice } from './notice.tsx';
import { QrCode } from './qr-code.tsx';

interface Launch {
  id: string;
  launchUrl: string;
  /** Request of the check. */
  asked: Asked;
  refusal: string | null;
}

export function LaunchPanel({ id, launchUrl, asked, refusal }: Launch) {
  return (
    <div class="launch">
      <section class="panel" aria-labelledby="here-title">
        <h2 id="here-title">Open it here</h2>
        <p>Your application would send the person here.</p>
        <p class="actions">
          <a class="primary" href={launchUrl} target="_blank" rel="noopener">
            Open in a new tab
          </a>
          <a class="secondary" href={launchUrl}>
            Open in this tab
          </a>
        </p>
        <p class="quiet-text">In a new tab, so that this page keeps showing what happens.</p>
      </section>
      <section class="panel phone" aria-labelledby="phone-title">
        <div>
          <h2 id="phone-title">Or on a phone</h2>
          <PhoneHint launchUrl={launchUrl} />
          <CopyButton text={launchUrl} what="the launch address" />
        </div>
        <QrCode text={launchUrl} label="QR code for the launch address" />
      </section>
      <Simulation id={id} asked={asked} refusal={refusal} />
    </div>
  );
}

function PhoneHint({ launchUrl }: { launchUrl: string }) {
  const hint = phoneHint(launchUrl);
  if (hint === null) return <p>Scan it with your phone’s camera. The phone must be on the same network.</p>;
  return (
    <p>
      {hint === 'loopback'
        ? 'This address only works on this computer. '
        : 'A phone can open this address, but only allows the camera on https pages. '}
      <code>npm run dev-cert</code> makes a certificate and says how to start the service with it; then scan.
    </p>
  );
}

function Simulation({ id, asked, refusal }: Omit<Launch, 'launchUrl'>) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  async function end({ outcome, proof }: Choice): Promise<void> {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    await simulate(id, { outcome, ...(proof && { proof }) }).catch((error: unknown) => {
      setProblem(error instanceof HostError ? error.message : 'The simulation failed.');
    });
    setBusy(false);
  }
  const shown = problem ?? refusal;
  return (
    <section class="panel" aria-labelledby="simulate-title">
      <h2 id="simulate-title">Or without a camera</h2>
      <p>
        Development keys may end a check as if a person had gone through it: <code>simulate</code>.
        {asked.type === 'ENROLL' && ' Nobody is enrolled by it.'}
      </p>
      <div class="outcomes">
        {listOutcomes(asked).map((choice) => (
          <OutcomeButton key={choice.text} busy={busy} lacking={choice.lacking} onPress={() => void end(choice)}>
            {choice.text}
          </OutcomeButton>
        ))}
      </div>
      {shown !== null && <Notice tone="bad">{shown}</Notice>}
    </section>
  );
}

interface OutcomeProps {
  busy: boolean;
  lacking: string | undefined;
  onPress(): void;
  children: string;
}

/**
 * Disabled buttons keep their place with the reason, which shows what other options would allow.
 */
function OutcomeButton({ busy, lacking, onPress, children }: OutcomeProps) {
  const isOff = lacking !== undefined;
  return (
    <button type="button" class="chip" aria-disabled={busy || isOff} onClick={() => isOff || onPress()}>
      {children}
      {isOff && <small> needs {lacking}</small>}
    </button>
  );
}
