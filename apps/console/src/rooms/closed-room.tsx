// What is said where there is nothing to see: the role does not include the room, or there is none at this address.
import { TEXTS } from '../texts.ts';
import { useHeading } from './use-heading.ts';

export function ClosedRoom({ why, role }: { why: 'forbidden' | 'unknown'; role: string }) {
  const T = TEXTS.closed[why];
  const heading = useHeading(T.heading);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {T.heading}
      </h1>
      <p>{T.text(role)}</p>
    </>
  );
}
