/** TypeBox's compiler, by a name that the build can give to it too: there it is one file and not hundreds. See `validate.ts`. */
export { Compile } from 'typebox/compile'
