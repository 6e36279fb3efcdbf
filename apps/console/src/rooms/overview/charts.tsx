// Plain SVG charts. Each has a table for screen readers and for copying.
import type { ComponentChildren } from 'preact';
import { TEXTS } from '../../texts.ts';

const T = TEXTS.overview;

export interface Series {
  name: string;
  text: string;
  tone: 'good' | 'warn' | 'bad' | 'accent' | 'quiet';
}

interface StackedDaysProps {
  heading: string;
  text?: string;
  children?: ComponentChildren;
  series: readonly Series[];
  days: readonly { day: string; counts: Readonly<Record<string, number>> }[];
}

const [WIDTH, HEIGHT] = [600, 140];

/** Draws one stacked bar per day. */
export function StackedDays({ heading, text, series, days, children }: StackedDaysProps) {
  const totals = days.map(({ counts }) => series.reduce((sum, { name }) => sum + (counts[name] ?? 0), 0));
  const most = Math.max(1, ...totals);
  const step = WIDTH / days.length;
  return (
    <Figure heading={heading} text={text}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" class="chart" aria-hidden="true">
        {days.map(({ day, counts }, at) => {
          let top = HEIGHT;
          return series.map(({ name, tone }) => {
            const height = ((counts[name] ?? 0) / most) * HEIGHT;
            top -= height;
            return height > 0 ? (
              <rect
                key={`${day} ${name}`}
                class={`fill-${tone}`}
                x={at * step + step * 0.1}
                y={top}
                width={step * 0.8}
                height={height}
              />
            ) : null;
          });
        })}
      </svg>
      <p class="axis quiet small-text">
        <span>{days[0]?.day}</span>
        <span>{days.at(-1)?.day}</span>
      </p>
      <Legend series={series} total={(name) => days.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0)} />
      <Table
        head={[T.day, ...series.map(({ text }) => text)]}
        rows={days.map(({ day, counts }) => [day, ...series.map(({ name }) => String(counts[name] ?? 0))])}
      />
      {children}
    </Figure>
  );
}

interface BarsProps {
  heading: string;
  text?: string | undefined;
  /** Column names: label and count. */
  head: readonly [string, string];
  bars: readonly { name: string; count: number; detail?: string }[];
  /** Value of a full-length bar; defaults to the largest value. */
  whole?: number;
  none?: string;
}

/** Horizontal bars with labels and numbers. They are their own table. */
export function Bars({ heading, text, head, bars, whole, none }: BarsProps) {
  const most = Math.max(1, whole ?? 0, ...bars.map(({ count }) => count));
  return (
    <Figure heading={heading} text={text}>
      {bars.length === 0 ? (
        <p class="quiet">{none}</p>
      ) : (
        <table class="bars">
          <thead class="hidden">
            <tr>
              <th scope="col">{head[0]}</th>
              <th scope="col">{head[1]}</th>
            </tr>
          </thead>
          <tbody>
            {bars.map(({ name, count, detail }) => (
              <tr key={name}>
                <th scope="row">
                  {name} {detail !== undefined && <span class="quiet small-text">{detail}</span>}
                </th>
                <td>
                  <svg viewBox="0 0 100 10" preserveAspectRatio="none" class="bar" aria-hidden="true">
                    <rect class="fill-accent" x="0" y="0" width={(count / most) * 100} height="10" />
                  </svg>
                  <span>{count}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Figure>
  );
}

function Figure({
  heading,
  text,
  children,
}: {
  heading: string;
  text?: string | undefined;
  children: ComponentChildren;
}) {
  return (
    <section>
      <h2>{heading}</h2>
      {text !== undefined && <p class="quiet">{text}</p>}
      {children}
    </section>
  );
}

function Legend({ series, total }: { series: readonly Series[]; total: (name: string) => number }) {
  return (
    <ul class="legend">
      {series.map(({ name, text, tone }) => (
        <li key={name}>
          <svg viewBox="0 0 10 10" class="swatch" aria-hidden="true">
            <rect class={`fill-${tone}`} width="10" height="10" rx="2" />
          </svg>
          {text} <strong>{total(name)}</strong>
        </li>
      ))}
    </ul>
  );
}

function Table({ head, rows }: { head: readonly string[]; rows: readonly (readonly string[])[] }) {
  return (
    <details>
      <summary>{T.table}</summary>
      <table class="list numbers">
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([first, ...cells]) => (
            <tr key={first}>
              <th scope="row">{first}</th>
              {cells.map((value, at) => (
                <td key={head[at + 1]}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
