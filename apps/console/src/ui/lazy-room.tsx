// Rooms that are fetched when somebody goes there, or soon after the page is there: the first one is on screen sooner.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { TEXTS } from '../texts.ts';
import { Problem } from './parts.tsx';

/** Enough for the first room to be there. */
const SOON_MS = 2_000;

export function lazyRoom<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let room: ComponentType<Props> | undefined;
  const fetchRoom = async () => {
    room ??= await load();
  };
  setTimeout(() => void fetchRoom().catch(() => {}), SOON_MS);

  return function Lazy(props: Props) {
    const [isThere, setThere] = useState(room !== undefined);
    const [problem, setProblem] = useState<Error>();
    const look = () => {
      setProblem(undefined);
      fetchRoom().then(
        () => setThere(true),
        () => setProblem(new Error(TEXTS.failed)),
      );
    };
    useEffect(() => {
      if (!isThere) look();
    }, []);
    if (problem) return <Problem error={problem} retry={look} />;
    const Room = isThere ? room : undefined;
    return Room ? <Room {...props} /> : null;
  };
}
