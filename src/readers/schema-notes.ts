/** What a JSON Schema says beyond the types: models keep it in a registry of zod's. */

/** scripts/make-schema.mjs reads these. */
export interface SchemaNotes {
  /** Makes the schema a definition of its own. */
  id?: string;
  title?: string;
  description?: string;
  /** Added as it is. */
  [keyword: string]: unknown;
}
