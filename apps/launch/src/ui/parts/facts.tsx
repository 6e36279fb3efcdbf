// A short list of facts, each with a drawing.
import { Drawing, type DrawingName } from '../drawings/drawing.tsx';

/** Has an id if it describes another element. */
export type Fact = readonly [drawing: DrawingName, text: string, id?: string];

export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <ul class="facts">
      {facts.map(([drawing, text, id]) => (
        <li key={drawing} id={id}>
          <Drawing name={drawing} />
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}
