// Whitelist: effective decisions that a subject is not the listed entity.
import type { ClearedView } from '@limen/server/console/screening';
import { useState } from 'preact/hooks';
import { formatFragment, navigate } from '../../address.ts';
import { useShortcuts } from '../../keyboard.ts';
import { screeningApi } from '../../screening-api.ts';
import { TEXTS } from '../../texts.ts';
import { ListEnd } from '../../ui/lists.tsx';
import { Code, Time } from '../../ui/parts.tsx';
import { ReasonDialog } from '../../ui/reason-dialog.tsx';
import { TableHead } from '../../ui/table-head.tsx';
import { useRowKeys } from '../../ui/use-row-keys.ts';
import { usePages } from '../../use-pages.ts';
import { ScoreBadge } from './match-card.tsx';
import { RevealNames } from './reveal-names.tsx';
import type { ListTabProps } from './subjects-tab.tsx';
import { Owner, readWhose, Whose } from './whose.tsx';

const T = TEXTS.screening.cleared;
const S = TEXTS.screening.subject;

export function ClearedTab({ filters, owners, mayReveal, mayDecide }: ListTabProps & { mayDecide: boolean }) {
  const [isRevealed, setRevealed] = useState(false);
  const [withdrawing, setWithdrawing] = useState<ClearedView>();
  const key = JSON.stringify([filters.whose, isRevealed]);
  const pages = usePages(key, async (after) => {
    const wanted = { ...readWhose(filters.whose), ...(after !== undefined && { after }) };
    const { cleared, next } = await screeningApi.cleared(wanted, isRevealed);
    return { rows: cleared, next };
  });
  const { rows = [] } = pages;
  const { body, choose: chooseRow } = useRowKeys(rows.length, key);
  useShortcuts({ r: pages.reload });
  const choose = (whose: string) =>
    navigate({ room: 'screening', tab: 'cleared', filters: whose === '' ? {} : { whose } });
  const withdraw = async (reason: string) => {
    await screeningApi.withdraw(withdrawing!.subjectId, withdrawing!.hitId, reason);
    setWithdrawing(undefined);
    pages.reload();
  };
  return (
    <>
      <p class="quiet lead">{T.lead}</p>
      <div class="filters">
        <Whose owners={owners} value={filters.whose} choose={choose} />
        {mayReveal && <RevealNames isRevealed={isRevealed} onChange={setRevealed} />}
      </div>
      {rows.length > 0 && (
        <table class="list">
          <TableHead texts={T.columns} kinds={{ by: 'roomy', list: 'roomy', acts: 'unseen' }} />
          <tbody ref={body}>
            {rows.map((row, at) => (
              <tr key={row.id}>
                <th scope="row">
                  <a href={formatFragment({ room: 'subject', id: row.subjectId })} onFocus={() => chooseRow(at)}>
                    <Time at={row.decidedAt} />
                  </a>
                </th>
                <td class="roomy clip">
                  <bdi>{row.author}</bdi>
                </td>
                <td>
                  {row.who ? (
                    <>
                      <bdi>{T.is(row.who.name, row.who.listed)}</bdi>
                      <p class="quiet small-text">
                        <bdi>{row.who.reason}</bdi>
                      </p>
                    </>
                  ) : (
                    <Code class="quiet">{row.subjectId.slice(-8)}</Code>
                  )}
                </td>
                <td class="roomy clip">
                  {row.list}{' '}
                  <span class="quiet small-text">
                    <Owner customer={row.customer} world={row.world} owners={owners} />
                  </span>
                </td>
                <td>
                  <ScoreBadge score={row.score} />
                </td>
                <td class="acts">
                  {mayDecide && (
                    <span class="row end">
                      <button
                        type="button"
                        class="small"
                        aria-label={`${S.withdraw} ${row.who?.name ?? row.subjectId.slice(-8)}`}
                        onClick={() => setWithdrawing(row)}
                      >
                        {S.withdraw}
                      </button>
                    </span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <ListEnd
        pages={pages}
        empty={T.empty}
        clear={() => navigate({ room: 'screening', tab: 'cleared', filters: {} })}
      />
      {withdrawing && (
        <ReasonDialog
          heading={S.withdrawHeading}
          text={S.withdrawText}
          button={S.withdrawButton}
          work={withdraw}
          onClose={() => setWithdrawing(undefined)}
        />
      )}
    </>
  );
}
