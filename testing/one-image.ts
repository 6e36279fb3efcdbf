// Before and after a whole run: the image of Limen has a name of the run's own, and goes with it, whichever tests had it built.
import { rmSync } from 'node:fs';
import { canRunContainers, lockOf, nameImage, podman } from './containers.ts';

export function setup(): () => void {
  const image = nameImage();
  return () => {
    rmSync(lockOf(image), { force: true });
    if (canRunContainers() && podman('image', 'exists', image).status === 0) podman('rmi', '-f', image);
  };
}
