// Stations of a check from request to result, with announcements for screen readers.
import type { CheckView } from '../../server/check-view.ts';
import { listStations, type Station } from '../timeline.ts';

const SIGNS: Record<Station['state'], string> = { done: '✓', failed: '!', next: '', waiting: '', skipped: '–' };
const SAID: Record<Station['state'], string> = {
  done: 'done',
  failed: 'failed',
  next: 'being waited for',
  waiting: 'not yet',
  skipped: 'skipped',
};

export function Stations({ check }: { check: CheckView }) {
  const stations = listStations(check);
  const last = stations.findLast(({ state }) => state === 'done' || state === 'failed');
  return (
    <>
      <ol class="stations" aria-label="Progress of the check">
        {stations.map(({ name, title, state, note }) => (
          <li key={name} class={`station station-${state}`} data-station={name} data-state={state}>
            <span class="station-sign" aria-hidden="true">
              {SIGNS[state]}
            </span>
            <span class="station-title">
              {title}
              <span class="hidden">, {SAID[state]}</span>
            </span>
            <span class="station-note">{note}</span>
          </li>
        ))}
      </ol>
      <p class="hidden" role="status">
        {last && `${last.title} ${SAID[last.state]}. ${last.note}`}
      </p>
    </>
  );
}
