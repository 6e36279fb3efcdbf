// Owner filter: every customer, one world, or one customer of a world.
import type { World } from '@limen/server/console';
import type { OwnerFilter, OwnerView } from '@limen/server/console/screening';
import { TEXTS } from '../../texts.ts';
import { FilterSelect, type Option } from '../../ui/lists.tsx';
import { WorldBadge } from '../../ui/parts.tsx';

const T = TEXTS.screening;

/** `live` or `test/acme`. */
export function readWhose(whose: string | undefined): OwnerFilter {
  const [, world, customer] = /^(live|test)(?:\/(.+))?$/s.exec(whose ?? '') ?? [];
  return { ...(world && { world: world as World }), ...(customer && { customer }) };
}

interface WhoseProps {
  owners: readonly OwnerView[] | undefined;
  value: string | undefined;
  choose: (value: string) => void;
}

export function Whose({ owners = [], value, choose }: WhoseProps) {
  const options: Option[] = [
    ['live', T.allOf.live],
    ['test', T.allOf.test],
    ...owners.map(({ world, customer, label }) => [`${world}/${customer}`, `${label ?? customer} (${world})`] as const),
  ];
  return <FilterSelect label={T.whose} value={value} options={options} choose={choose} />;
}

interface OwnerProps {
  customer: string;
  world: World;
  owners: readonly OwnerView[] | undefined;
}

export function Owner({ customer, world, owners = [] }: OwnerProps) {
  const label = owners.find((owner) => owner.customer === customer && owner.world === world)?.label;
  return (
    <>
      {label ?? customer} {world === 'test' && <WorldBadge world="test" />}
    </>
  );
}
