// The current screen and dialog. The end is the last screen.
import type { EndScreen, PageState, PermissionScreen, Screen } from '../course/screens.ts';
import type { PageAttention } from './camera/attention.ts';
import type { Platform } from './platform.ts';
import type { Standing } from './session/standing.ts';

export type Stage = ReturnType<typeof createStage>;

interface StageOptions {
  standing: Standing;
  attention: PageAttention;
  platform: Platform;
  onChange(state: PageState): void;
}

export function createStage({ standing, attention, platform, onChange }: StageOptions) {
  let state: PageState = { screen: { name: 'opening' }, dialog: null, asks: null };
  const end = new AbortController();
  const logToConsole = createConsoleLogger(platform);

  function update(changes: Partial<PageState>): void {
    const view = standing.view();
    state = { ...state, asks: view?.asks ?? null, ...changes };
    onChange(state);
    logToConsole(state.screen, view?.debugLevel ?? 0);
    attention.cover(state.dialog !== null);
  }

  function withSurroundings(screen: PermissionScreen): PermissionScreen {
    const staysHere = standing.view()?.handoff === 'refused';
    const site = platform.siteAround();
    return { ...screen, ...(staysHere && { staysHere }), ...(site !== undefined && { site }) };
  }

  return {
    state: (): PageState => state,
    /** Shows a screen, unless the end is shown. */
    show(screen: Screen): void {
      if (end.signal.aborted) return;
      update({ screen: screen.name === 'permission' ? withSurroundings(screen) : screen });
    },
    update,
    showEnd(screen: EndScreen): void {
      end.abort();
      const hasHost = platform.hasHost();
      const stays = (hasHost || screen.redirectUrl !== null) && platform.staysAtEnd();
      update({ screen: { ...screen, ...(stays && { stays }), ...(hasHost && { hasHost }) }, dialog: null });
    },
    /** Aborts once the end is shown. Nothing starts after that. */
    ended: end.signal,
  };
}

/** Fields with fixed words of the flow, never with input of a person. */
const DETAILS = ['doing', 'problem', 'state', 'why', 'how', 'operation'] as const;

/** Logs screens; from debug level 2 with the time that the previous screen was shown. */
function createConsoleLogger(platform: Pick<Platform, 'now' | 'note'>) {
  let last = { text: '', at: platform.now() };
  return (screen: Screen, level: number): void => {
    const details = DETAILS.map((name) => Reflect.get(screen, name)).filter((value) => typeof value === 'string');
    const text = [screen.name, ...details].join(' ');
    if (level < 1 || text === last.text) return;
    const now = platform.now();
    platform.note(level < 2 ? `limen: ${text}` : `limen: ${text} (+${Math.round(now - last.at)} ms)`);
    last = { text, at: now };
  };
}
