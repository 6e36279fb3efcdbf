// The screen and the dialog that are shown. After the end, no other screen is.
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
  const tellConsole = createConsoleTeller(platform);

  function update(changes: Partial<PageState>): void {
    const view = standing.view();
    state = { ...state, asks: view?.asks ?? null, ...changes };
    onChange(state);
    tellConsole(state.screen, view?.debugLevel ?? 0);
    attention.cover(state.dialog !== null);
  }

  function withSurroundings(screen: PermissionScreen): PermissionScreen {
    const staysHere = standing.view()?.handoff === 'refused';
    const site = platform.siteAround();
    return { ...screen, ...(staysHere && { staysHere }), ...(site !== undefined && { site }) };
  }

  return {
    state: (): PageState => state,
    /** Does nothing once the end is shown. */
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
    /** Heard once the end is shown, after which nothing begins any more. */
    ended: end.signal,
  };
}

/** Fields with words of the flow itself, never with input from a person. */
const DETAILS = ['doing', 'problem', 'state', 'why', 'how', 'operation'] as const;

/** From the second level on with the time that the screen before was there. */
function createConsoleTeller(platform: Pick<Platform, 'now' | 'note'>) {
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
