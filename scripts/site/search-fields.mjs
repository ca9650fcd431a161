/**
 * The fields of a search record. The maker and the loader of the index must agree on them.
 *
 * @type {import('minisearch').Options}
 */
export const FIELDS = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'path', 'start'],
};
