export { exactly } from '@rollcall/employee-lists/testing';
