/**
 * What the search knows of a record: who makes the index and who loads it must say the same.
 *
 * @type {import('minisearch').Options}
 */
export const FIELDS = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'path', 'start'],
};
