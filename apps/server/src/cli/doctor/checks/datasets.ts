// Checks the sanctions lists: which are there, which are damaged, which have grown old.
import { createDatasetFolder, type DatasetInfo } from '../../../core/datasets/folder/dataset-folder.ts';
import { examineLists } from '../../../core/datasets/folder/examine-lists.ts';
import { type Check, type Finding, failure, ok, warning } from './check.ts';

const DAY_MS = 86_400_000;
/** Publishers change their lists several times a month. */
const STALE_DAYS = 7;

export const checkDatasets: Check = async ({ config, clock }) => {
  const folder = createDatasetFolder(config.DATA_DIR);
  const { sound, problems } = await examineLists(folder, 'whole');
  const damaged = problems.map((problem) => {
    const [found = '', remedy = ''] = problem.replace(/\.$/, '').split('; ');
    return failure(found, remedy);
  });
  return [...damaged, ...judgeDatasets(sound, clock.now(), config.DATASET_SYNC_HOURS > 0)];
};

export function judgeDatasets(infos: readonly DatasetInfo[], now: number, scheduled: boolean): Finding[] {
  if (infos.length === 0) {
    const found = 'only the fictional demo list: no real person is found';
    return [warning(found, 'if you screen people, load a list: limen datasets add us_ofac_sdn')];
  }
  const names = infos.map(({ name, entityCount }) => `${name} (${entityCount})`).join(', ');
  return [ok(names), ...infos.flatMap((info) => judgeAge(info, now, scheduled))];
}

/** Of a list with an address it counts when its publisher was last asked, not when the list last changed. */
function judgeAge({ name, builtAt, sync }: DatasetInfo, now: number, scheduled: boolean): Finding[] {
  const days = Math.floor((now - Date.parse(sync?.checkedAt ?? builtAt)) / DAY_MS);
  if (days < STALE_DAYS) return [];
  if (!sync) return [warning(`${name} was loaded ${days} days ago`, `limen datasets add ${name} … with a newer file`)];
  const remedy = scheduled
    ? `limen datasets sync ${name}; the server’s log says why it did not`
    : `limen datasets sync ${name}, and set DATASET_SYNC_HOURS to have it done`;
  return [warning(`${name} was last compared with its publisher ${days} days ago`, remedy)];
}
