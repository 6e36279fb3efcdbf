// The purpose of the check.
import { PURPOSES, type Purpose } from '../verification-options.ts';

export function PurposeChoice({ chosen, onChoose }: { chosen: Purpose; onChoose(purpose: Purpose): void }) {
  return (
    <fieldset class="purposes">
      <legend class="hidden">What the check is for</legend>
      {PURPOSES.map(({ purpose, title, about }) => (
        <label key={purpose} class="preset">
          <input
            type="radio"
            name="purpose"
            value={purpose}
            checked={purpose === chosen}
            aria-labelledby={`title-${purpose}`}
            aria-describedby={`about-${purpose}`}
            onChange={() => onChoose(purpose)}
          />
          <strong id={`title-${purpose}`}>{title}</strong>
          <span id={`about-${purpose}`}>{about}</span>
        </label>
      ))}
    </fieldset>
  );
}
