// Fields for the dataset to search and the score threshold for a hit.
import type { ListView } from '@limen/server/console/screening';
import { TEXTS } from '../../texts.ts';

const T = TEXTS.screening;
const DEFAULT_DATASET = 'default';
const DEFAULT_THRESHOLD = '0.85';

export function Against({ lists = [] }: { lists: readonly ListView[] | undefined }) {
  const names = lists.filter(({ status }) => status !== 'failed').map(({ name }) => name);
  return (
    <>
      <label>
        {T.dataset}
        <select name="dataset">
          {(names.length > 0 ? names : [DEFAULT_DATASET]).map((name) => (
            <option key={name} value={name} selected={name === DEFAULT_DATASET}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        {T.threshold}
        <input name="scoreThreshold" type="number" min="0" max="1" step="0.01" defaultValue={DEFAULT_THRESHOLD} />
      </label>
    </>
  );
}
