// Parts of lists: filters above, paging below.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { formatFragment, type Place } from '../address.ts';
import { TEXTS } from '../texts.ts';
import type { Pages } from '../use-pages.ts';
import { Problem } from './parts.tsx';

export type Option = readonly [value: string, text: string];

interface FilterSelectProps {
  label: string;
  value: string | undefined;
  options: readonly Option[];
  /** Label of the empty choice. */
  all?: string;
  choose: (value: string) => void;
}

export function FilterSelect({ label, value = '', options, all = TEXTS.all, choose }: FilterSelectProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">{all}</option>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface TabsProps {
  label: string;
  tabs: readonly { name: string; text: string; place: Place }[];
  here: string;
}

/** Links, because each choice has its own address. */
export function Tabs({ label, tabs, here }: TabsProps) {
  const nav = useShownLink(here);
  return (
    <nav ref={nav} class="tabs" aria-label={label}>
      <ul>
        {tabs.map(({ name, text, place }) => (
          <li key={name}>
            <a href={formatFragment(place)} aria-current={name === here ? 'page' : undefined}>
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** On narrow screens, scrolls to the current link and fades the edge behind which more follow. */
export function useShownLink(here: string) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [here]);
  useEffect(() => {
    const bar = nav.current!;
    const mark = () => {
      const hidden = bar.scrollWidth - bar.clientWidth;
      // In right-to-left layouts, scrollLeft is negative.
      const isFromRight = getComputedStyle(bar).direction === 'rtl';
      const before = isFromRight ? hidden + bar.scrollLeft : bar.scrollLeft;
      bar.toggleAttribute('data-more-left', before > 1);
      bar.toggleAttribute('data-more-right', hidden - before > 1);
    };
    mark();
    bar.addEventListener('scroll', mark, { passive: true });
    addEventListener('resize', mark);
    return () => {
      bar.removeEventListener('scroll', mark);
      removeEventListener('resize', mark);
    };
  }, []);
  return nav;
}

/** Below a list: an error, an empty message, or a button for the next page. */
interface ListEndProps<Row> {
  pages: Pages<Row>;
  empty: string;
  /** Clears the filters; undefined if none is set. */
  clear?: (() => void) | undefined;
}

export function ListEnd<Row>({ pages, empty, clear }: ListEndProps<Row>) {
  const { rows, problem, showMore, isBusy, reload } = pages;
  return (
    <>
      {problem && <Problem error={problem} retry={reload} clear={clear} />}
      {rows?.length === 0 && !showMore && <p class="empty">{empty}</p>}
      {showMore && <MoreButton isBusy={isBusy} onPress={showMore} />}
    </>
  );
}

/** Fetches the next page of a list. */
export function MoreButton({ isBusy, onPress }: { isBusy: boolean; onPress: () => void }) {
  return (
    <p class="row center">
      <button type="button" disabled={isBusy} onClick={onPress}>
        {TEXTS.more}
      </button>
    </p>
  );
}

export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
