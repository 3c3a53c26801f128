/** Of the operations page and of the API reference. */
export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#14532d"/><path d="M8 10h10M8 16h10M8 22h6" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/><path d="m20 20 3 3 5-7" fill="none" stroke="#86efac" stroke-width="2.8" stroke-linecap="round" stroke-linejoin="round"/></svg>';
