// Links for a wallet that the browser cannot ask: opened here, or scanned by the wallet's device.
import type { WalletLinkScreen } from '../../course/screens.ts';
import type { TextKey } from '../../i18n/index.ts';
import { Button } from '../parts/button.tsx';
import { LeavingLink } from '../parts/leaving-link.tsx';
import { CopyLink, QrCode } from '../parts/link-code.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';
import { CancelButton } from '../parts/ways-out.tsx';

const PROFILES: Readonly<Record<string, TextKey>> = { eu_age: 'link.euAge', mdl: 'link.mdl' };

interface WalletLinkProps extends ScreenProps<WalletLinkScreen> {
  onNotice(text: string | null): void;
}

export function WalletLinkView({ screen, actions, words, onNotice }: WalletLinkProps) {
  const { links, profile, opensHere } = screen;
  const { link = '', sameDeviceLink = link } = links.find((candidate) => candidate.profile === profile) ?? {};
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      buttons={
        <>
          {opensHere && (
            <LeavingLink class="button primary" href={sameDeviceLink}>
              <span>{words.text('link.open')}</span>
            </LeavingLink>
          )}
          {/* For people who cannot scan: they can send the link to the wallet's device. */}
          {!opensHere && <CopyLink key={profile} url={link} words={words} onNotice={onNotice} />}
          <Button kind="secondary" onPress={actions.goBack}>
            {words.text('action.back')}
          </Button>
          <CancelButton actions={actions} words={words} />
        </>
      }
    >
      {links.length > 1 && (
        <fieldset>
          <legend class="question">{words.text('link.which')}</legend>
          {links.map((option) => (
            <label key={option.profile} class="option">
              <input
                type="radio"
                class="tick"
                name="profile"
                checked={option.profile === profile}
                onChange={() => actions.chooseProfile(option.profile)}
              />
              {words.text(PROFILES[option.profile] ?? 'proof.walletButton')}
            </label>
          ))}
        </fieldset>
      )}
      <p class="lead">{words.text(opensHere ? 'link.elsewhere' : 'link.scan')}</p>
      <div class="code-frame dense">
        <QrCode text={link} label={words.text('link.codeLabel')} />
      </div>
      <p>{words.text('link.waiting')}</p>
      <p class="small">{words.text('handoff.validFor', { count: screen.minutesLeft })}</p>
    </ScreenFrame>
  );
}
