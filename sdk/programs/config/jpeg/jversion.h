/* What the build script of mozjpeg-sys would write. */
#define JVERSION "mozjpeg"
#define JCOPYRIGHT "The libjpeg-turbo Project, Mozilla, and many others"
#define JCOPYRIGHT_SHORT JCOPYRIGHT
