// Screening: search, file, watched subjects, alerts, whitelist and lists.
import type { Permission } from '@limen/server/console';
import { SCREENING_TABS, type ScreeningFilters, type ScreeningTab } from '../../address.ts';
import { screeningApi } from '../../screening-api.ts';
import { TEXTS } from '../../texts.ts';
import { Tabs } from '../../ui/lists.tsx';
import { Problem } from '../../ui/parts.tsx';
import { useLoad } from '../../use-load.ts';
import { useHeading } from '../use-heading.ts';
import { AlertsTab } from './alerts-tab.tsx';
import { ClearedTab } from './cleared-tab.tsx';
import { FileTab } from './file-tab.tsx';
import { ListsTab } from './lists-tab.tsx';
import { SearchTab } from './search-tab.tsx';
import { SubjectsTab } from './subjects-tab.tsx';

const T = TEXTS.screening;
const SEARCHING: readonly ScreeningTab[] = ['search', 'file'];

interface ScreeningRoomProps {
  tab: ScreeningTab;
  filters: ScreeningFilters;
  permissions: readonly Permission[];
}

export function ScreeningRoom({ tab, filters, permissions }: ScreeningRoomProps) {
  const { value: overview, problem, reload } = useLoad('screening', screeningApi.overview);
  const mayReveal = permissions.includes('subjects.reveal.test');
  const mayDecide = permissions.includes('subjects.decide');
  const tabs = SCREENING_TABS.filter((name) => !SEARCHING.includes(name) || permissions.includes('screening.search'));
  const here = tabs.includes(tab) ? tab : 'subjects';
  const heading = useHeading(`${T.tabs[here]}, ${T.heading}`);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {T.heading}
      </h1>
      <Tabs
        label={T.heading}
        here={here}
        tabs={tabs.map((name) => ({ name, text: T.tabs[name], place: { room: 'screening', tab: name, filters: {} } }))}
      />
      {problem && <Problem error={problem} retry={reload} />}
      {here === 'search' && <SearchTab lists={overview?.lists} />}
      {here === 'file' && <FileTab lists={overview?.lists} />}
      {here === 'subjects' && <SubjectsTab filters={filters} owners={overview?.owners} mayReveal={mayReveal} />}
      {here === 'alerts' && <AlertsTab filters={filters} owners={overview?.owners} mayReveal={mayReveal} />}
      {here === 'cleared' && (
        <ClearedTab filters={filters} owners={overview?.owners} mayReveal={mayReveal} mayDecide={mayDecide} />
      )}
      {here === 'lists' && overview && <ListsTab lists={overview.lists} reload={reload} />}
    </>
  );
}
