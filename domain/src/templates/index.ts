export type { SetTemplate } from './commands.js';
export { decide, type TemplateDecision } from './decide.js';
export { defaultTemplate, languageOf, templateInForce } from './defaults.js';
export { evolve, type TemplateEvent } from './evolve.js';
export {
  escapeHtml,
  fillTemplate,
  placeholders,
  type TemplateParts,
  type TemplateValues,
} from './placeholders.js';
export type { TemplateProblem, TemplateRejection } from './rejections.js';
export { initialState, type TemplatesState } from './state.js';
