type ColumnKind = 'roomy' | 'number' | 'roomy number' | 'unseen';

interface TableHeadProps<Name extends string> {
  /** In column order. */
  texts: Readonly<Record<Name, string>>;
  /** `roomy` columns hide on narrow screens; `unseen` names are for screen readers only. */
  kinds?: { readonly [Column in NoInfer<Name>]?: ColumnKind };
}

export function TableHead<Name extends string>({ texts, kinds = {} }: TableHeadProps<Name>) {
  return (
    <thead>
      <tr>
        {(Object.keys(texts) as Name[]).map((name) =>
          kinds[name] === 'unseen' ? (
            <th key={name} scope="col">
              <span class="hidden">{texts[name]}</span>
            </th>
          ) : (
            <th key={name} scope="col" class={kinds[name]}>
              {texts[name]}
            </th>
          ),
        )}
      </tr>
    </thead>
  );
}
