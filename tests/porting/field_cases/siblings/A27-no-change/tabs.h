	#pragma once


// ÿþ€ end