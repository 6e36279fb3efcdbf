// Runs work on many items, several at a time, and hands the results out in order.

/** Never begins more than `ahead` items beyond the one that is being waited for. */
export async function* inOrder<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  ahead: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = [];
  const begin = (item: Item) => {
    const result = work(item);
    result.catch(() => {}); // it is thrown where its turn comes, if that is still waited for
    underWay.push(result);
  };
  for await (const item of items) {
    begin(item);
    if (underWay.length >= ahead) yield await (underWay.shift() as Promise<Result>);
  }
  for (const result of underWay) yield await result;
}
