import { isLeftOver } from '@rollcall/application';
import type { ModelReadModels } from './model-read-models.js';

/** All documents, as text, but for blocks and runs that the newest sets do not consist of. */
export async function shown(store: ModelReadModels): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { collection, key, text } of store.documents())
    if (!(await isLeftOver(store, collection, key))) found.push(text);
  return found;
}
