// A short list of things worth knowing, each with its drawing.
import { Drawing, type DrawingName } from '../drawings/drawing.tsx';

export type Fact = readonly [DrawingName, string];

export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <ul class="facts">
      {facts.map(([drawing, text]) => (
        <li key={drawing}>
          <Drawing name={drawing} />
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}
