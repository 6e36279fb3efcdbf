// Shows who started the check and where, and asks for the number on that device.
import type { TakeOverScreen } from '../../course/screens.ts';
import type { TextKey } from '../../i18n/index.ts';
import { isolate } from '../announce.ts';
import { getExplanation } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';

const QUESTION_ID = 'which-number';

/** Omits the common scheme, and allows line breaks only between the parts of the name. */
const showOrigin = (origin: string) => origin.replace(/^https:\/\//, '').replaceAll('.', '.\u200b');

export function TakeOverView({ screen, actions, words }: ScreenProps<TakeOverScreen>) {
  const { requester, redirectOrigin, browser, system, agoMs, choices, busy } = screen;
  const known = [browser, system].filter((name) => name !== null);
  const rows: [TextKey, string | null][] = [
    ['takeover.asks', requester],
    ['takeover.leads', redirectOrigin && showOrigin(redirectOrigin)],
    ['takeover.device', known.join(' · ') || words.text('takeover.unknown')],
    ['takeover.when', words.ago(agoMs)],
  ];
  const choose = (number: string | null) => busy || actions.chooseNumber(number);
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      buttons={
        <Button kind="secondary" onPress={() => choose(null)}>
          {words.text('takeover.none')}
        </Button>
      }
    >
      <p class="lead">{words.text(getExplanation(screen)!)}</p>
      <dl class="origin">
        {rows.map(
          ([label, value]) =>
            value && (
              <div key={label}>
                <dt>{words.text(label)}</dt>
                <dd>{isolate(value)}</dd>
              </div>
            ),
        )}
      </dl>
      <p id={QUESTION_ID} class="question">
        {words.text('takeover.choose')}
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: buttons that act at once are no form */}
      <div class="numbers" role="group" aria-labelledby={QUESTION_ID} dir="ltr">
        {choices.map((number) => (
          <button
            key={number}
            type="button"
            class="number"
            aria-disabled={busy || undefined}
            onClick={() => choose(number)}
          >
            {number}
          </button>
        ))}
      </div>
    </ScreenFrame>
  );
}
