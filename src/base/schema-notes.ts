/** Parts of a JSON Schema beyond the types: models keep them in this registry. */
import * as z from 'zod/mini';

interface SchemaNotes {
  /** Makes the schema a definition of its own. */
  id?: string;
  title?: string;
  description?: string;
  [keyword: string]: unknown;
}

/** scripts/make-schema.mjs reads it. */
export const schemaNotes = z.registry<SchemaNotes>();
