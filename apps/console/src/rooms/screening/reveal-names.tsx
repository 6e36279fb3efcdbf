// Button that reveals the names in a list.
import { TEXTS } from '../../texts.ts';

const T = TEXTS.screening;

interface RevealNamesProps {
  isRevealed: boolean;
  onChange: (isRevealed: boolean) => void;
}

export function RevealNames({ isRevealed, onChange }: RevealNamesProps) {
  return (
    <button type="button" title={isRevealed ? undefined : T.revealHint} onClick={() => onChange(!isRevealed)}>
      {isRevealed ? T.hide : T.reveal}
    </button>
  );
}
