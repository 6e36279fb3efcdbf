// stub
import type { Stage } from './stage.ts';
export async function profileStrings(_stage: Stage, _n: number): Promise<void> {}
