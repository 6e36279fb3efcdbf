// Names the run's image of Limen before a full run and removes it afterwards, whichever tests built
// it.
import { rmSync } from 'node:fs';
import { canRunContainers, lockOf, nameImage, podman } from './containers.ts';

export function setup(): () => void {
  const image = nameImage();
  return () => {
    rmSync(lockOf(image), { force: true });
    if (canRunContainers() && podman('image', 'exists', image).status === 0) podman('rmi', '-f', image);
  };
}
