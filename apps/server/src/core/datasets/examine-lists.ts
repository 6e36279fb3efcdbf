// Tells the lists that can be searched from the damaged ones, for commands that show what is there.
import type { DatasetFolder, DatasetInfo } from './dataset-folder.ts';

export interface ExaminedLists {
  sound: DatasetInfo[];
  /** One sentence per damaged list. */
  problems: string[];
}

export async function examineLists(folder: DatasetFolder, depth: 'head' | 'whole'): Promise<ExaminedLists> {
  const sound: DatasetInfo[] = [];
  const problems = await folder.problems();
  for (const info of await folder.list()) {
    const problem = await folder.examineIndex(info, depth);
    if (problem === undefined) sound.push(info);
    else problems.push(problem);
  }
  return { sound, problems };
}
