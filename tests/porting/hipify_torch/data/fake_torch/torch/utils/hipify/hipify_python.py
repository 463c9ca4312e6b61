"""torch's hipify: it takes note that it ran, and what it ran for."""

ran = []


def preprocess_file_and_save_result(path):
    ran.append(path)


def hipify(*, extra_files, **_others):
    for path in extra_files:
        preprocess_file_and_save_result(path)
    return {}


translate_everything = hipify
