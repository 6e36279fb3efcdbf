// Personal data in each file of an installation, its protection and its retention.
// docs/reference/stored-data.md lists these files.

interface FileEntry {
  path: string;
  holds: string;
  protection: string;
  stays: string;
}

export const FILES: readonly FileEntry[] = [
  {
    path: 'the table `gallery_half_vectors` (before: `gallery_vectors`), in PostgreSQL with `VECTOR_STORE=pgvector` only',
    holds: 'a copy of every face vector of the biometric node, for searching: biometric data',
    protection: 'rotated by a key of its gallery, which hides it from a glance and is not encryption (docs/node.md)',
    stays: 'as long as the embedding it is a copy of',
  },
  {
    path: '`limen.db.reserve`',
    holds: 'nothing: room that a full disk gives back for deletions',
    protection: 'none needed',
    stays: 'for ever',
  },
  {
    path: '`limen.db`, `limen.db-wal`, `limen.db-shm`',
    holds: 'the tables above, unless `DATABASE_URL` is set',
    protection: 'as for the columns; deleted values are overwritten',
    stays: 'as for the rows',
  },
  {
    path: '`master.key`',
    holds: 'the master key, in development only',
    protection: 'readable only by its owner (0600); production refuses it',
    stays: 'for ever',
  },
  {
    path: '`keyholder/keyholder.sqlite`, with `-wal` and `-shm`',
    holds:
      'secret keys of the face tokens, by customer; counts of attempts, enrollments and locks, by digests of addresses, devices and people',
    protection: 'keys sealed, digests keyed',
    stays: 'keys for ever; counts as long as a throttle looks back, at most a day',
  },
  {
    path: '`keyholder/audit.jsonl`, `keyholder/audit-<day>.<number>.jsonl`',
    holds: 'what the key-holder decided, without a score, a face or a name',
    protection: 'people named by a digest under a key that is deleted with them; facts about the camera sealed',
    stays: '`AUDIT_DAYS`',
  },
  {
    path: '`datasets/`',
    holds: 'sanctions lists as they were published: public data about people',
    protection: 'none',
    stays: 'until the list is removed or replaced',
  },
  { path: '`models/`', holds: 'face models', protection: 'none', stays: 'for ever' },
  {
    path: 'standard output',
    holds: 'the log: request ids, route patterns, statuses, codes',
    protection: 'nothing personal is logged',
    stays: 'as long as you keep it',
  },
];
