// Checks the sanctions lists for damage and age.
import { describeAge } from '../../../platform/text/count-of.ts';
import { computeAge, isStale } from '../../../screening/lists/catalogue/ages.ts';
import { createDatasetFolder, type DatasetInfo, examineLists } from '../../../screening/lists/folder/folder.ts';
import { type DoctorCheck, type DoctorFinding, failure, ok, warning } from './check.ts';

export const checkDatasets: DoctorCheck = async ({ config, clock }) => {
  const folder = createDatasetFolder(config.DATA_DIR);
  const { sound, problems } = await examineLists(folder, 'whole');
  const damaged = problems.map((problem) => {
    const [found = '', remedy = ''] = problem.replace(/\.$/, '').split('; ');
    return failure(found, remedy);
  });
  return [...damaged, ...judgeDatasets(sound, clock.now(), config.DATASET_SYNC_HOURS)];
};

export function judgeDatasets(infos: readonly DatasetInfo[], now: number, syncHours: number): DoctorFinding[] {
  if (infos.length === 0) {
    const found = 'only the fictional demo list: no real person is found';
    return [warning(found, 'if you screen people, load a list: limen datasets add us_ofac_sdn')];
  }
  const names = infos.map(({ name, entityCount }) => `${name} (${entityCount})`).join(', ');
  return [ok(names), ...infos.flatMap((info) => judgeAge(info, now, syncHours))];
}

function judgeAge(info: DatasetInfo, now: number, syncHours: number): DoctorFinding[] {
  if (!isStale(info, syncHours, now)) return [];
  const { name, sync } = info;
  const age = describeAge(computeAge(info, now));
  if (!sync) {
    const remedy = `limen datasets add ${name} … with a newer file, or from its publisher: limen datasets known`;
    return [warning(`what ${name} was loaded from is ${age} old`, remedy)];
  }
  const remedy =
    syncHours > 0
      ? `limen datasets sync ${name}; the server’s log has the reason`
      : `limen datasets sync ${name}, and set DATASET_SYNC_HOURS to automate it`;
  return [warning(`${name} was last compared with its publisher ${age} ago`, remedy)];
}
