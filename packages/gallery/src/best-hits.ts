// Keeps the k best hits of a stream in a heap with the worst on top.
import { compareHits, type Hit } from './gallery.ts';

export interface SlotHit extends Hit {
  slot: number;
}

export type BestHits = ReturnType<typeof createBestHits>;

export function createBestHits(k: number, minSimilarity: number) {
  const heap: SlotHit[] = [];
  let limit = minSimilarity;

  function siftDown(hit: SlotHit): void {
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && compareHits(heap[child + 1]!, heap[child]!) > 0) child += 1;
      if (compareHits(heap[child]!, hit) <= 0) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = hit;
  }

  function siftUp(hit: SlotHit): void {
    let at = heap.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (compareHits(heap[parent]!, hit) >= 0) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = hit;
  }

  return {
    /** Minimum similarity of a new hit: the minimum, the worst of `k` hits, or a raised value. */
    get limit(): number {
      return limit;
    },
    /** Reports that `k` hits of at least this similarity are known elsewhere. */
    raise(similarity: number): void {
      if (similarity > limit) limit = similarity;
    },
    offer(slot: number, key: number, similarity: number): void {
      if (!(similarity >= limit)) return;
      const hit = { slot, key, similarity };
      if (heap.length < k) siftUp(hit);
      else if (compareHits(hit, heap[0]!) < 0) siftDown(hit);
      else return;
      if (heap.length === k) limit = Math.max(limit, heap[0]!.similarity);
    },
    /** Best first, equal ones by key. */
    list: (): SlotHit[] => heap.toSorted(compareHits),
  };
}
