// Makes folders that an operator names, and folders within the data folder.
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StartError } from '../base/errors.ts';
import { matchOwnerOfMade } from './owner.ts';

const FOR_THIS_USER = 0o700;

/** Makes a folder and its parents, one by one: Node's `recursive` hangs where no folder can be made, as in /proc. */
export function makeFolder(path: string, mode = FOR_THIS_USER): void {
  make(resolve(path), mode, () => {});
}

/** Makes a folder within the data folder, and gives each made folder to the owner of its parent. */
export function makeInnerFolder(path: string, mode = FOR_THIS_USER): void {
  make(resolve(path), mode, (made) => matchOwnerOfMade(dirname(made), made));
}

function make(path: string, mode: number, onMade: (path: string) => void): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT') throw error;
    const above = dirname(path);
    if (existsSync(above)) throw new StartError(`No folder can be created in ${above}; name a place outside it.`);
    make(above, mode, onMade);
    make(path, mode, onMade);
    return;
  }
  onMade(path);
}
