// A short list of things worth knowing, each with its drawing.
import { Drawing, type DrawingName } from '../drawings/drawing.tsx';

/** With an id where something else on the screen is described by it. */
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
