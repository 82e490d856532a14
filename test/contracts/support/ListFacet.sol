// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Exports as many selectors as it was told, one after the other, and answers each call with its mark
///         and the selector. Bounds and mark are part of its code, as with any facet that can be approved.
contract ListFacet {
    uint32 private immutable first;
    uint32 private immutable count;
    uint256 public immutable mark;

    constructor(uint32 first_, uint32 count_, uint256 mark_) {
        mark = mark_;
        first = first_;
        count = count_;
    }

    fallback(bytes calldata) external returns (bytes memory) {
        return abi.encode(mark, msg.sig);
    }

    function exportSelectors() external view returns (bytes4[] memory selectors) {
        selectors = new bytes4[](count);
        for (uint32 i; i < count; ++i) {
            selectors[i] = bytes4(first + i);
        }
    }
}
