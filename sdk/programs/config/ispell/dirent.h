/* Ispell includes <sys/dir.h> and uses nothing of it. newlib does not have it for every machine. */
