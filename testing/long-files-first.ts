// Orders test files by duration, longest first, so that none runs alone at the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of ten seconds and more on two cores. By default vitest sorts by size. */
const LONG = [
  'lab/attacks/book',
  'documents/testing/reading',
  'cli/datasets/group',
  'light/testing/simulate',
  'face/real-faces',
  'screening/engine/pool',
  'keyholder/worker-and-process',
  'sdk/src/published-package',
  'lists/sync/sync',
  'sdk/src/documentation',
  'device/evidence',
  'server/tests/main',
  'tests/readme',
  'tests/examples',
  'lists/follow-lists',
  'tests/watching-crash',
  'journeys/throttle',
  'verification/vouching',
  'cli/people/group',
  'doctor/command',
  'tests/database-outage',
  'verification/journeys/journeys',
  'keyholder/shared-state',
  'console/review',
  'console/rooms',
  'pages/pages',
  'demo/page',
  'ui/accessibility',
];

export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // Files of a project stay together, because a worker serves one project.
    const projects = Map.groupBy(sorted, ({ project }) => project.name);
    return [...projects.values()].flatMap((ofProject) => ofProject.toSorted((a, b) => rank(a) - rank(b)));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const found = LONG.findIndex((name) => moduleId.includes(`${name}.`));
  return found < 0 ? LONG.length : found;
}
