// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Exports as many selectors as it was told, one after the other, and answers each call with its own address
///         and the selector. Its bounds are part of its code, as with any facet that can be approved.
contract ListFacet {
    uint32 private immutable first;
    uint32 private immutable count;
    address private immutable self = address(this);

    constructor(uint32 first_, uint32 count_) {
        first = first_;
        count = count_;
    }

    fallback(bytes calldata) external returns (bytes memory) {
        return abi.encode(self, msg.sig);
    }

    function exportSelectors() external view returns (bytes4[] memory selectors) {
        selectors = new bytes4[](count);
        for (uint32 i; i < count; ++i) {
            selectors[i] = bytes4(first + i);
        }
    }
}
