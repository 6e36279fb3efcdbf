// Metrics of screening: rows, files and subjects, and the sizes of the lists.
import type { Context } from '../platform/context.ts';
import type { FileRoom } from './files/room.ts';
import type { Sanctions } from './files/screen.ts';
import type { Matcher } from './match/matcher.ts';

export function addScreeningMetrics(
  { metrics }: Pick<Context, 'metrics'>,
  { matcher, sanctions, room }: { matcher: Matcher; sanctions: Sanctions; room: FileRoom },
): void {
  metrics.addGauge(
    'limen_screening_files',
    'Files being screened or answered, and waiting for room.',
    ['state'],
    async (gauge) => {
      gauge.set({ state: 'under_way' }, room.inside);
      gauge.set({ state: 'waiting' }, room.waiting);
    },
  );
  metrics.addCounter('limen_screening_rows_total', 'Rows screened since the start.', () => sanctions.rowsScreened);
  metrics.addCounter('limen_screening_files_total', 'Files screened since the start.', () => sanctions.filesScreened);
  metrics.addCounter(
    'limen_screening_subjects_total',
    'Subjects screened one by one or in small batches since the start.',
    () => matcher.subjectsScreened,
  );
  metrics.addGauge('limen_dataset_entities', 'Listed entities per loaded dataset.', ['dataset'], async (gauge) => {
    for (const { name, kind, status, entityCount = 0 } of sanctions.datasets()) {
      if (kind !== 'collection' && status === 'ready') gauge.set({ dataset: name }, entityCount);
    }
  });
}
